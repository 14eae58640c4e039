#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""The layout of everything else stays."""

from __future__ import annotations
import promptc

x   =  1 # odd   blanks


def result( ) :
    subject, style = "a fox", "ink"
    prompt = str(promptc.prompt(
        "one {subject}, "  # the first line
        "a plain line, "
        r"raw \d {style}, "
        'with "quotes"'
    )(subject=subject, style=style))
    long_prompt = str(promptc.prompt("""
    several lines of {subject}
        and {style}
    """)(subject=subject, style=style))
    joined_prompt = str(promptc.prompt("one {subject} " \
        "and {style}")(subject=subject, style=style))
    return [ prompt,long_prompt , joined_prompt ]
