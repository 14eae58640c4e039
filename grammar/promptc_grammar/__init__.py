"""The languages as data: grammars, parameter tables, encoders, targets, vocabularies."""
