"""THE list of the rungs' ideas, in a few words. Pictures show an idea beside its rung.

The rung's own source states its idea in a sentence. A kernel that is not in the list is shown without an idea.
"""

from dataclasses import dataclass

KINDS = ("closer", "wider", "earlier", "evener", "finer")


@dataclass(frozen=True)
class Idea:
    kind: str  # of KINDS: how it changes the way of the operands; empty for the first rung
    words: str

    @property
    def text(self):
        """Returns "wider: whole sectors"."""
        return f"{self.kind}: {self.words}" if self.kind else self.words


# The keys are the rungs' names, from the first up.
IDEAS = {
    "naive": Idea("", "every operand comes from memory"),
    "coalesced": Idea("wider", "whole sectors"),
    "shared_tile": Idea("closer", "shared memory"),
    "register_tile_1d": Idea("closer", "registers, 8x1"),
    "register_tile_2d": Idea("closer", "registers, 8x8"),
    "vector_float4": Idea("wider", "16-byte loads"),
    "vector_float8": Idea("wider", "32-byte loads"),
    "conflict_free": Idea("wider", "all 32 banks"),
    "warp_tile": Idea("closer", "64x64 a warp"),
    "async_pipeline": Idea("earlier", "3 tiles ahead"),
    "tuned": Idea("evener", "a tile a shape"),
    "stream_k": Idea("evener", "equal shares"),
    "tensor_tf32": Idea("wider", "16x8x8 at once"),
    "tensor_split": Idea("finer", "two FP16 parts"),
    "tensor_wgmma": Idea("earlier", "TMA fills a ring"),
    "tensor_fp32": Idea("evener", "tiles of 3 heights"),
}


def of(row):
    """Returns the idea of a rung's row in a few words; empty for all other kernels."""
    return IDEAS[row.kernel].text if row.set == "sgemm" and row.kernel in IDEAS else ""
