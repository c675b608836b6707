"""Formats as environments for reinforcement learning; needs the extra ``env``.

`aec` is an environment of PettingZoo, in which all seats are agents; `solo` one of Gymnasium, in
which bots play the other seats. The engine's match, views and legal moves are all that they use.
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
