	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.text
	.globl f
	.type f,@function
f:
	s_set_vgpr_msb 0xe4
	v_add_f32 v1, v2, v3
	v_fma_f32 v1, v2, v3, v4
	v_fmac_f32 v1, v2, v3
	v_add_f32 v1, s4, v3
	v_fma_f64 v[2:3], v[4:5], v[6:7], v[8:9]
	v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v1, v2, v3 dpp8:[0,1,2,3,4,5,6,7]
	v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5
	v_dual_fma_f32 v0, v1, v2, v7 :: v_dual_mul_f32 v3, v4, v5
	v_dual_fmac_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4
	v_dual_cndmask_b32 v0, v1, v2, s3 :: v_dual_mov_b32 v3, v4
	global_load_b128 v[4:7], v1, s[2:3] offset:16
	global_load_b128 v[4:7], v[8:9], off
	global_store_b128 v[8:9], v[4:7], off
	global_atomic_add_u32 v1, v[2:3], v4, off th:TH_ATOMIC_RETURN
	ds_load_b64 v[2:3], v4
	ds_store_2addr_b32 v1, v2, v3 offset0:1 offset1:2
	ds_add_rtn_u32 v1, v2, v3
	buffer_load_b32 v1, v2, s[4:7], s8 offen
	buffer_store_b64 v[2:3], v[4:5], s[4:7], s8 idxen offen
	scratch_store_b32 v1, v2, s3
	flat_store_b32 v[2:3], v4
	v_cmp_lt_f32 vcc_lo, v1, v2
	v_cmp_lt_f32_e64 s3, v1, v2
	v_cndmask_b32 v1, v2, v3, vcc_lo
	v_readlane_b32 s1, v2, 3
	v_readfirstlane_b32 s1, v2
	v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]
	v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[24:31]
	v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]
	v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47], v48, v49
	v_swmmac_f32_16x16x64_f16 v[0:7], v[8:15], v[16:31], v40
	v_mad_co_u64_u32 v[0:1], s2, v3, v4, v[6:7]
	v_bitop3_b32 v1, v2, v3, v4 bitop3:0x27
	v_swap_b32 v1, v2
	v_permlane16_b32 v1, v2, s3, s4
	v_fmaak_f32 v1, v2, v3, 0x1234
	v_fmamk_f32 v1, v2, 0x1234, v3
	v_nop
	v_dual_fmamk_f32 v0, v1, 0x1234, v2 :: v_dual_mul_f32 v3, v4, v5
	v_dual_mul_f32 v0, v1, v2 :: v_dual_fmamk_f32 v3, v4, 0x1234, v5
	v_dual_fmaak_f32 v0, v1, v2, 0x1234 :: v_dual_mul_f32 v3, v4, v5
	v_fmamk_f64 v[0:1], v[2:3], 0x12345678abcd, v[4:5]
	v_fmamk_f16 v0, v1, 0x12, v3
	v_cvt_f32_f16 v1, v2
	v_exp_f32 v1, v2
	global_load_async_to_lds_b32 v1, v[2:3], off
	global_store_async_from_lds_b32 v[2:3], v1, off
	ds_atomic_async_barrier_arrive_b64 v1
	cluster_load_b32 v1, v[2:3], off
	s_cbranch_scc0 1f
	v_add_f32 v1, v2, v3
1:	s_set_vgpr_msb 0x41
	v_add_f32 v1, v2, v3
	s_branch 2f
	v_add_f32 v1, v2, v3
2:	s_set_vgpr_msb 0x4114
	v_add_f32 v1, v2, v3
	s_setpc_b64 s[0:1]
	v_add_f32 v1, v2, v3
	s_set_vgpr_msb 0x41
	s_barrier_signal -1
	v_add_f32 v1, v2, v3
	s_endpgm
	v_add_f32 v1, v2, v3
	s_set_vgpr_msb 0x41
g:
	v_add_f32 v1, v2, v3
	s_set_vgpr_msb 0x41
	s_call_b64 s[0:1], 4
	v_add_f32 v1, v2, v3
	s_set_vgpr_msb 0x41
	s_swappc_b64 s[0:1], s[2:3]
	v_add_f32 v1, v2, v3
	s_trap 2
	v_add_f32 v1, v2, v3
	.globl h
h:
	v_add_f32 v1, v2, v3
	.long 0x00000000
	s_set_vgpr_msb 0x41
	.long 0xfff00000
	v_add_f32 v1, v2, v3
	s_code_end
	v_add_f32 v1, v2, v3
