"""What each key of a study file means, for editors; by settings class and field."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["DESCRIPTIONS"]

DESCRIPTIONS: Mapping[str, Mapping[str, str]] = {
    "StudySettings": {
        "instances": "Task instances; a bare text is the path of an instance folder.",
        "name": "Folder under reports/; the file's stem by default.",
        "seed": "Every draw comes from a generator derived from it.",
        "runs": "Runs per instance and condition, repeats of variants included.",
        "conditions": "baseline, perturbed, placebo (a second baseline), perturbed.LABEL.",
        "order": "run: run index outermost, balanced if cut short; instance: one after another.",
        "agent": "What works on the task: a name, or a mapping.",
        "model": "The model the agent uses: a name, or a mapping.",
        "environment": "Where agents work and patches are graded.",
        "sampler": "How variants are drawn (Algorithms 1 and 2).",
        "limits": "Limits of one run.",
        "session": "Limits of one session.",
        "statistics": "Seed and size of the bootstrap, and the level of the intervals.",
        "completions": "How completion tasks are sampled.",
        "gates": "What makes the session fail.",
    },
    "InstanceEntry": {
        "path": "Folder of a native instance, relative to the study file.",
        "swebench": "Rows of SWE-bench or a data set of its form: JSON lines, JSON or parquet.",
        "swebench_pro": "Rows and scripts of SWE-bench Pro.",
        "completions": "JSON lines of completion tasks.",
        "ids": "Only these instances of the entry.",
        "ids_file": "File with one instance id a line.",
        "image": "Template for names of images, as in mirror.local/{image}.",
    },
    "ProEntry": {
        "rows": "Rows of the data set: JSON lines, JSON or parquet.",
        "scripts": "Checkout that holds the scripts of each instance.",
        "include_non_python": "Take instances whose fix is in no Python file.",
    },
    "AgentSettings": {
        "name": "gold-patch, noop, command, or python:MODULE:CALLABLE.",
        "version": "Part of the record key: another version is another measurement.",
        "python": "Interpreter of the environment that holds the scaffold.",
        "prompt": "File whose {task} is replaced by the issue.",
        "command": "Shell command with {task_file}, {workdir}, {model}, {result_file}.",
        "options": "Options of this agent.",
    },
    "ModelSettings": {
        "name": "The provider's name of the model.",
        "temperature": "Sampling temperature, for agents that take one.",
        "prices": "USD per million tokens.",
    },
    "Prices": {
        "input": "USD per million input tokens.",
        "output": "USD per million output tokens.",
        "cache_read": "USD per million tokens read from the provider's cache.",
        "cache_write": "USD per million tokens written to the provider's cache.",
    },
    "EnvironmentSettings": {
        "backend": "local isolates tree, variables and HOME only; docker is a container.",
        "network": "Network of a container.",
        "image_policy": "When images are pulled.",
        "memory": "Memory limit of a container, as in 4g.",
        "cpus": "CPUs of a container.",
        "pids": "Most processes of a container.",
        "remove_images": "Remove pulled images when no run needs them any more.",
        "trusted": "Accept that local does not isolate an agent that uses a model.",
    },
    "SamplerSettings": {
        "transformations": "The pool: all, or a list of names.",
        "n_transformations": "N_t: transformations drawn per variant.",
        "n_keywords": "N_k: keywords per keyword-bound transformation.",
        "n_files": "N_f: files per keyword-bound transformation.",
        "site_fraction": "φ: share of the candidate sites of a file.",
        "runs_per_variant": "Runs of each variant; runs must be a multiple of it.",
        "keywords": "Where keywords come from.",
        "issue_text": "How the issue text is perturbed.",
        "preset": "artifact: the 13 names that the published code samples.",
    },
    "KeywordSettings": {
        "source": "rules: offline, from the issue text; model: extracted by a model.",
        "model": "The model that extracts keywords.",
    },
    "LimitSettings": {
        "steps": "Most steps of an agent.",
        "cost_usd": "Most an agent may cost.",
        "wall_s": "Seconds an agent may take.",
        "command_s": "Seconds one command of an agent may take.",
        "idle_s": "Seconds an agent may be silent.",
        "test_s": "Seconds the graded tests may take.",
        "pull_s": "Seconds an image may take to be pulled.",
        "create_s": "Seconds a container may take to start.",
        "tokens": "Most tokens of an agent.",
        "grade_on_limit": "Grade what an agent left when a limit stopped it.",
        "attempts": "Tries when infrastructure fails, the first included.",
    },
    "SessionSettings": {
        "budget_usd": "Start no run once the stored runs have cost this much.",
        "deadline": "Start no run after this: seconds, or 5h, 90m.",
        "concurrency": "What -n auto means.",
        "max_error_rate": "More lost runs than this share make gates inconclusive.",
        "staged": "Run the study in stages.",
        "on_quota": "What to do when the provider's quota is used up.",
    },
    "StatisticsSettings": {
        "seed": "Seed of the resampling.",
        "resamples": "Bootstrap resamples.",
        "confidence": "Level of the intervals.",
    },
    "CompletionSettings": {
        "variants": "Variants per task.",
        "samples": "Completions per variant.",
        "k": "The k of pass@k.",
    },
    "GateSettings": {
        "metric": "What is judged.",
        "margin_pp": "Margin in percentage points, for rates.",
        "margin_pct": "Margin in percent, for steps and cost.",
        "fail": "degraded: shown to be worse than the margin; not_shown_robust: the stricter form.",
        "population": "all, or only runs whose variant differs from the seed repository.",
    },
}
