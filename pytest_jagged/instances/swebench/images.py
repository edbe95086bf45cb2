"""The name of the image that holds an instance's tree."""

from __future__ import annotations

from pytest_jagged.instances.swebench.rows import Row

__all__ = ["IMAGE_PLACEHOLDER", "derived_image", "image_of", "pro_image"]

IMAGE_PLACEHOLDER = "{image}"
_COLUMNS = ("image", "image_name", "docker_image")
_PRO_REPOSITORY = "jefzda/sweap-images"


def image_of(row: Row, derived: str, override: str | None = None) -> str:
    """The study's own template, else the row's column, else the name by the data set's rule.

    In the template `{image}` is the name that would be used without it.
    """
    named = next((row.text(column) for column in _COLUMNS if row.has(column)), "")
    if not named and row.has("dockerhub_tag"):
        tag = row.text("dockerhub_tag")
        named = tag if "/" in tag else f"{_PRO_REPOSITORY}:{tag}"
    name = named or derived
    return name if override is None else override.replace(IMAGE_PLACEHOLDER, name)


def derived_image(instance_id: str, *, gym: bool = False) -> str:
    """By the rule of SWE-bench, or of SWE-Gym (whose images OpenHands published)."""
    if gym:
        return f"xingyaoww/sweb.eval.x86_64.{instance_id.replace('__', '_s_')}:latest".lower()
    return f"swebench/sweb.eval.x86_64.{instance_id.replace('__', '_1776_')}:latest".lower()


def pro_image(instance_id: str, repo: str) -> str:
    """By the rule of SWE-bench Pro: repository and id as one tag of up to 128 letters."""
    owner, _, name = repo.lower().partition("/")
    if name == "element-web":
        name = "element"
    rest = instance_id.removeprefix("instance_").removesuffix("-vnan")
    return f"{_PRO_REPOSITORY}:{owner}.{name}-{rest}"[: len(_PRO_REPOSITORY) + 1 + 128]
