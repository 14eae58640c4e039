"""The samplers of a plan: a scheduler of diffusers each, built from the model's own noise schedule."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from promptc.plan.ops.denoise import Denoise, Sampler

if TYPE_CHECKING:
    from torch import Tensor


class _Scheduler(NamedTuple):
    module: str
    kind: str
    config: Mapping[str, Any] = {}
    least: float = 2.0**-24
    """The last product of alphas that the sampler bears, where a schedule ends in pure noise (sigma 4096)."""


SAMPLERS: dict[Sampler, _Scheduler] = {
    "ddim": _Scheduler("scheduling_ddim", "DDIMScheduler"),
    "euler": _Scheduler("scheduling_euler_discrete", "EulerDiscreteScheduler"),
    "euler_a": _Scheduler("scheduling_euler_ancestral_discrete", "EulerAncestralDiscreteScheduler"),
    "dpmpp_2m": _Scheduler(
        "scheduling_dpmsolver_multistep",
        "DPMSolverMultistepScheduler",
        {"algorithm_type": "dpmsolver++", "solver_order": 2, "use_karras_sigmas": False},
    ),
    "dpmpp_2m_karras": _Scheduler(
        "scheduling_dpmsolver_multistep",
        "DPMSolverMultistepScheduler",
        {"algorithm_type": "dpmsolver++", "solver_order": 2, "use_karras_sigmas": True},
    ),
    # Heun would multiply the change of its slope by 4096; with a sigma of 14.6 it sees the same, pure noise.
    "heun": _Scheduler("scheduling_heun_discrete", "HeunDiscreteScheduler", {}, 1 / (1 + 14.6**2)),
    "lms": _Scheduler("scheduling_lms_discrete", "LMSDiscreteScheduler"),
    "pndm": _Scheduler("scheduling_pndm", "PNDMScheduler", {"skip_prk_steps": True}),
    "unipc": _Scheduler("scheduling_unipc_multistep", "UniPCMultistepScheduler"),
}


class Stepper:
    """A scheduler that was set to a number of steps: `timesteps`, and the step (from 1) that each belongs to.

    With `strength`, only the last part of the steps is left; they keep their numbers.
    """

    def __init__(self, sampler: Sampler, config: Mapping[str, Any], steps: int, strength: float | None = None) -> None:
        self.scheduler = build(sampler, config)
        self.scheduler.set_timesteps(steps)
        first = 0 if strength is None else steps - part(steps, strength)
        order = getattr(self.scheduler, "order", 1)
        times: Tensor = self.scheduler.timesteps
        if sampler == "pndm":
            import torch

            # Its first step is evaluated twice, the second time at its end, also where the first steps are left out.
            times = torch.unique(times).flip(0)[first:]
            self.timesteps = times[[0, *range(1, min(2, len(times))), *range(1, len(times))]]
            numbers = [max(1, number) for number in range(len(self.timesteps))]
        else:
            self.timesteps = times[first * order :]
            numbers = [number // order + 1 for number in range(len(self.timesteps))]  # Heun evaluates twice in a step
        self.numbers = [min(first + number, steps) for number in numbers]
        if first and hasattr(self.scheduler, "set_begin_index"):
            self.scheduler.set_begin_index(first * order)
        self._draws = "generator" in _parameters(type(self.scheduler).step)

    def begin(self, noise: Tensor, start: Tensor | None) -> Tensor:
        """The latents to begin with: noise alone, or noise over `start`."""
        if start is None:
            scale: float = self.scheduler.init_noise_sigma
            return noise * scale
        first = self.timesteps[:1].repeat(len(noise))
        return self.scheduler.add_noise(start, noise, first)  # type: ignore[no-any-return]

    def scale(self, latents: Tensor, time: Tensor) -> Tensor:
        """What the UNet is given."""
        return self.scheduler.scale_model_input(latents, time)  # type: ignore[no-any-return]

    def step(self, prediction: Tensor, time: Tensor, latents: Tensor, generators: list[Any]) -> Tensor:
        """One step down. Noise, where the sampler wants some, is drawn from each picture's own generator."""
        extra = {"generator": generators} if self._draws else {}
        return self.scheduler.step(prediction, time, latents, return_dict=False, **extra)[0]  # type: ignore[no-any-return]


def part(steps: int, strength: float) -> int:
    """How many of the steps a strength leaves, at least one."""
    # A little more than 0.29 * 100 = 28.999999999999996: what reads as 29 steps is 29 steps.
    return max(1, min(int(steps * strength + 1e-9), steps))


def steps_left(op: Denoise) -> int:
    """How many steps a denoise really does."""
    return op.steps if op.strength is None else part(op.steps, op.strength)


def build(sampler: Sampler, config: Mapping[str, Any]) -> Any:
    """The scheduler of a sampler over a model's noise schedule, whatever scheduler the model came with."""
    row = SAMPLERS[sampler]
    kind = getattr(importlib.import_module(f"diffusers.schedulers.{row.module}"), row.kind)
    known = _parameters(kind.__init__)
    settings = {key: value for key, value in config.items() if key in known} | dict(row.config)
    if "clip_sample" in known:
        settings.setdefault("clip_sample", False)  # the default is for models of pixels; latents are not in -1..1
    if config.get("rescale_betas_zero_snr") and "rescale_betas_zero_snr" not in known:
        settings["trained_betas"] = _zero_snr(config, row.least)
    scheduler = kind(**settings)
    if sampler == "lms":
        # Its own rule integrates numerically with scipy; the polynomials are of degree 3, so this is exact.
        # It also counts steps that were left out; only those that were made have a slope.
        scheduler.get_lms_coefficient = lambda order, time, current: _lms(
            scheduler.sigmas, min(order, len(scheduler.derivatives)), time, current
        )
    return scheduler


@cache
def _parameters(function: Any) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def _zero_snr(config: Mapping[str, Any], least: float) -> list[float]:
    """The betas of a schedule rescaled to end in pure noise, for schedulers that cannot do that by themselves.

    The products are kept at `least` or above: sigma would be infinite.
    """
    from diffusers.schedulers.scheduling_euler_discrete import EulerDiscreteScheduler, rescale_zero_terminal_snr

    known = _parameters(EulerDiscreteScheduler.__init__)
    plain = {key: value for key, value in config.items() if key in known} | {"rescale_betas_zero_snr": False}
    betas = rescale_zero_terminal_snr(EulerDiscreteScheduler(**plain).betas).double()
    products = (1 - betas).cumprod(0)
    products = products.clamp(min=least)
    alphas = products.clone()
    alphas[1:] = products[1:] / products[:-1]
    found: list[float] = (1 - alphas).tolist()
    return found


def _lms(sigmas: Tensor, order: int, time: int, current: int) -> float:
    """The integral, from this sigma to the next, of the Lagrange polynomial through the last `order` sigmas.

    Gauss-Legendre with 3 points is exact up to degree 5.
    """
    if current >= order:
        return 0.0
    points = [float(sigmas[time - back]) for back in range(order)]
    low, high = float(sigmas[time]), float(sigmas[time + 1])
    middle, half = (high + low) / 2, (high - low) / 2
    total = 0.0
    for place, weight in ((-(0.6**0.5), 5 / 9), (0.0, 8 / 9), (0.6**0.5, 5 / 9)):
        value = 1.0
        for back, point in enumerate(points):
            if back != current:
                value *= (middle + half * place - point) / (points[current] - point)
        total += weight * value
    return total * half
