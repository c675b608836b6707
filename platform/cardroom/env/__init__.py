"""Formats as environments for reinforcement learning; needs the extra ``env``.

In `aec`, an environment of PettingZoo, all seats are agents; in `solo`, one of Gymnasium, bots play
the other seats. Both use only the engine's match, views and legal moves.
"""

try:
    from cardroom.env.aec_env import AECMatch, aec
    from cardroom.env.solo_env import SoloMatch, solo
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"Environments need the extra `env`: install pettingzoo and gymnasium ({error}).",
        name=error.name,
    ) from error

__all__ = ["AECMatch", "SoloMatch", "aec", "solo"]
