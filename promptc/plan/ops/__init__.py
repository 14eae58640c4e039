"""The ops of a plan, one module each: a model, and `infer`, which gives its result's type or refuses it."""
