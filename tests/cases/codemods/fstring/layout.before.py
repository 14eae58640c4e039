#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""The layout of everything else stays."""

from __future__ import annotations

x   =  1 # odd   blanks


def result( ) :
    subject, style = "a fox", "ink"
    prompt = (
        f"one {subject}, "  # the first line
        "a plain line, "
        rf"raw \d {style}, "
        f'with "quotes"'
    )
    long_prompt = f"""
    several lines of {subject}
        and {style}
    """
    joined_prompt = f"one {subject} " \
        f"and {style}"
    return [ prompt,long_prompt , joined_prompt ]
