"""Pictures as tensors: colour, prints, sizes, and files. Plain functions; the kernels in `ops` are thin over them."""
