"""How latents are denoised: the schedulers, and what the UNet is told at each step."""
