# SPDX-License-Identifier: MIT
"""A plot of bandwidth over row length as SVG text: libfly, its peers, and the copy ceiling of each shape."""
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 860, 440, 70, 90, 50, 150
COLOURS = {"libfly": "#c1121f", "eager": "#3a86ff", "compile": "#2a9d8f", "copy": "#555555"}


def series(rows):
    """Name -> bandwidths in TB/s, None where a peer has no figure."""
    own = [float(r["TB/s"]) for r in rows]
    return {
        "libfly": own,
        "eager": [v / float(r["x eager"]) if r["x eager"] else None for v, r in zip(own, rows)],
        "compile": [v / float(r["x compile"]) if r["x compile"] else None for v, r in zip(own, rows)],
        "copy": [v / float(r["of copy"]) for v, r in zip(own, rows)],
    }


def write(path, title, rows):
    lines = series(rows)
    top = max(v for s in lines.values() for v in s if v) * 1.08
    step = (WIDTH - LEFT - RIGHT) / max(1, len(rows) - 1)

    def x(i):
        return LEFT + i * step

    def y(v):
        return HEIGHT - BOTTOM - v / top * (HEIGHT - BOTTOM - TOP)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="24" font-size="16">{title}, {rows[0]["dtype"]}: TB/s of the bytes that must move</text>']
    tick = 0.0
    while tick <= top:
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#dddddd"/>'
                   f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.1f}</text>')
        tick += 0.5
    for i, r in enumerate(rows):
        out.append(f'<text transform="translate({x(i):.1f},{HEIGHT - BOTTOM + 14}) rotate(40)">{r["rows"]}x{r["cols"]}</text>')
    for n, (name, values) in enumerate(lines.items()):
        dash = ' stroke-dasharray="5,4"' if name == "copy" else ""
        points = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(values) if v)
        out.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"{dash}/>')
        out += [f'<circle cx="{x(i):.1f}" cy="{y(v):.1f}" r="3" fill="{COLOURS[name]}"/>' for i, v in enumerate(values) if v]
        label = {"libfly": "libfly", "eager": "PyTorch eager", "compile": "torch.compile", "copy": "device copy"}[name]
        out.append(f'<text x="{WIDTH - RIGHT + 14}" y="{TOP + 20 * n + 10}" fill="{COLOURS[name]}">{label}</text>')
    out.append("</svg>\n")
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(out))
