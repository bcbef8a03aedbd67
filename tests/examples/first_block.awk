# SPDX-License-Identifier: MIT
# Prints the first indented block of a page that starts with an #include, without its indent.
/^    #include/ && !done { inside = 1 }
inside && /^[^ ]/ { inside = 0; done = 1 }
inside { print substr($0, 5) }
