"""The kernels of the built-in ops, one module for each: `run(op, inputs, context)`."""
