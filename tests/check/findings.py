"""python findings.py ETRECORD_TB FIXTURES: what each finding says about real records: where it must be, and where it must not be.

The table is also the list of what the fixtures show. A finding that comes first must be what an expert would say first.
"""
import json
import os
import subprocess
import sys

# kind: (records in which it is the first finding, records in which it is another one, records in which it must not be)
TABLE = {
    "fallback": ("llama_xnnpack vit_xnnpack siamese_cos quantized_xnnpack lstm_xnnpack/etdump.etdp", "b_qnn b_vulkan p_gates",
                 "b_ethosu b_neutron mv2_xnnpack mv2_portable p_convs add_mul spp xnnpack_openvino/etdump.etdp b_qnn/etdump.etdp"),
    "not_delegated": ("mv2_portable", "llama_portable inserted_before inserted_after", "add_mul llama_xnnpack mv2_xnnpack b_qnn control_flow"),
    "library": ("", "vit_xnnpack", "mv2_xnnpack add_mul llama_xnnpack"),
    "constants": ("add_mul decoder_cache llama_portable", "masked_attention", "mv2_xnnpack llama_xnnpack mv2_portable b_qnn"),
    "layout": ("", "mv2_xnnpack quantized_xnnpack n_clips", "b_neutron b_ethosu b_qnn llama_xnnpack mv2_portable"),
    "softmax_check": ("", "vit_xnnpack masked_attention", "mv2_xnnpack llama_xnnpack llama_portable"),
    "copies": ("", "llama_portable llama_xnnpack", "mv2_xnnpack mv2_portable b_qnn"),
    "attention": ("", "llama_xnnpack llama_portable decoder_cache", "vit_xnnpack mv2_xnnpack masked_attention"),
    "output_layer": ("", "n_tied_toedge", "llama_xnnpack llama_portable mv2_xnnpack vit_xnnpack"),
    "batch_norm": ("", "bn_folding", "bn_unfused resnext_pre mv2_xnnpack old_0_7_0_mv2"),
    # Keys and values of two heads each are repeated in the Llamas.
    "repeated_heads": ("", "llama_xnnpack llama_portable", "vit_xnnpack mv2_xnnpack add_mul masked_attention"),
    "merge": ("", "equal_layers", "cache_by_cat llama_xnnpack vit_xnnpack mv2_xnnpack add_mul p_gates"),
    "cache_copies": ("", "cache_by_cat", "llama_xnnpack llama_portable mv2_portable equal_layers"),
    "positions": ("", "cache_by_cat", "mv2_portable llama_xnnpack equal_layers"),
    "quantize_pairs": ("", "requantized", "quantized_xnnpack p_zoo_q mlp_dynq"),
    # Of its float operators between int8 ones p_zoo_q has 17, and no layer that multiplies in float beside int8 ones.
    "float_beside": ("", "partly_quantized p_zoo_q", "quantized_xnnpack mv2_xnnpack"),
    "waiting": ("b_qnn b_vulkan", "", "b_ethosu b_neutron llama_xnnpack"),
    "cpu_fallback": ("b_coreml", "", "b_qnn b_vulkan llama_xnnpack"),
    # No record here has such calls: those of one ETDump of dynamic_decoder_dumps take long only because they log values.
    "small_calls": ("", "", "dynamic_decoder_dumps llama_xnnpack vit_xnnpack b_ethosu"),
    "slow_rate": ("", "../../examples/language_model", "mv2_xnnpack p_convs p_spike_same_q6 add_mul"),
    # Levers: layers in float32 in XNNPACK, never int8 ones; time of no operators; what nothing makes faster but less of it.
    "split_depthwise": ("p_convs", "", "mv2_xnnpack p_spike_same_q6 unet_xnnpack"),
    # No record here has such kernels: unit tests have them.
    "rewrite": ("", "", "mv2_xnnpack vit_xnnpack llama_xnnpack quantized_xnnpack mv2_portable unet_xnnpack"),
    "branches": ("", "xnnpack_parallel", "turns_base mv2_xnnpack bn_unfused resnext_pre p_convs unet_xnnpack spp"),
    "quantize": ("mv2_xnnpack resnext_pre", "turns_new p_convs", "p_spike_same_q6 two_partitioners mv2_portable b_coreml b_qnn"),
    "delegate": ("changed_edge", "cpp_rich", "mv2_portable llama_portable mv2_xnnpack b_ethosu"),
    "less_work": ("b_ethosu b_vgf spp", "b_coreml", "mv2_xnnpack mv2_portable vit_xnnpack"),
    "more_per_call": ("", "add_mul control_flow mv2_xnnpack", "mv2_portable vit_xnnpack llama_xnnpack"),
    "profiler": ("xnnpack_openvino", "", "mv2_xnnpack llama_xnnpack mv2_portable"),
    "load": ("", "dynamic_xnnpack gru_both", "mv2_portable llama_portable"),
    "first_run": ("", "mv2_xnnpack add_mul", "b_ethosu"),
    "drift": ("", "drift/etdump.etdp", "drift add_mul mv2_xnnpack"),
    "modes": ("", "dynamic_decoder", "drift add_mul mv2_xnnpack"),
    "slow_runs": ("", "attention_addmm drift", "add_mul mv2_xnnpack b_ethosu"),
    "slow_operator": ("", "n_clips", "add_mul mv2_xnnpack"),
}
HOW = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "findings.md"), encoding="utf-8").read()
DOCS = "https://example.org/etrecord-tb/docs/"
TIMING = ("outlier", "drift", "step", "modes", "slow_runs", "periodic", "slow_operator")
LEVERS = ("quantize", "delegate", "more_per_call", "profiler", "less_work")
WEIGHTS = {"sure": 1, "likely": 0.7, "rule_of_thumb": 0.5, "possible": 0.4}


def findings(tool, path):
    done = subprocess.run([tool, "summary", path, "--format", "json"], capture_output=True, text=True, check=True)
    return [method["findings"] for method in json.loads(done.stdout)["methods"] if method["findings"]]


def rank(finding):
    """The place in the list: wrong results, the model, the measurement, what was spent once; then the middle of the saving by how sure it is,
    of which nothing is known counting as a tenth of the time that it is about; for levers as a fiftieth, or a twentieth if less work of most of the time is needed; half of what may be depthwise."""
    saves = finding["saves"]
    group = 0 if finding["kind"] == "inaccurate" else 3 if saves["once"] else 2 if finding["kind"] in TIMING else 1
    of_lever = 0.05 if finding["kind"] == "less_work" and (finding["share"] or 0) >= 0.5 else 0.02
    unknown = of_lever if finding["kind"] in LEVERS else 0.1
    middle = unknown * (finding["cost"] or 0) if saves["high"] is None else ((saves["low"] or 0) + saves["high"]) / 2
    if "unless depthwise" in finding["fact"]:
        middle /= 2
    return group, -middle * WEIGHTS[finding["certainty"]]


def check_list(name, found):
    """What holds for every list: how it is ranked, how long its texts are, and that it says what is not known."""
    ranks = [rank(finding) for finding in found]
    assert ranks == sorted(ranks), f"{name}: not ranked: {ranks}"
    for number, finding in enumerate(found):
        where, saves = f"{name}: {finding['kind']}", finding["saves"]
        assert 0 < len(finding["title"]) <= 44 and len(finding["fact"]) <= 120, (where, finding["title"], finding["fact"])
        assert saves["low"] is None or 0 < saves["low"] <= saves["high"] + 1e-12, (where, saves)
        assert finding["docs"] == f"{DOCS}findings.md#{finding['kind']}" and f"\n## {finding['kind']}\n" in HOW, (where, finding["docs"])
        assert not {"least", "potential", "potential_share", "once"} & set(finding), where
        for line in "\n".join((finding["code"] or {}).values()).splitlines():  # a part of a program that another test runs
            assert line in HOW, (where, line)
        assert saves["high"] is not None or saves["low"] is None, where
        assert finding["effort"] in ("link_flag", "re_export", "change_model", "change_app", "record_again"), where
        assert (finding["effort_text"] is None) == (finding["kind"] == "profiler"), where  # what only looks takes nothing
        assert finding["effort_text"] in (None, "change app or device settings", finding["effort"].replace("re_", "re-").replace("change_", "change the ").replace("_", " ")), where
        assert finding["certainty"] != "sure" or finding["kind"] not in ("quantize", "delegate"), where
        assert finding["evidence"].endswith(".") and finding["saving"].endswith("."), where
        assert ("save is not known" in finding["saving"]) == (saves["high"] is None and finding["kind"] != "inaccurate"), (where, finding["saving"])
        assert all(earlier < number for earlier in finding["shares_with"]), where
        assert not saves["once"] or finding["share"] is None, where
        if finding["kind"] == "fallback":  # copies that are most of it are another finding, and it counts what is left
            shared = [found[k]["saves"]["high"] for k in finding["shares_with"] if found[k]["kind"] == "copies"]
            assert not any(high and high * 2 >= saves["high"] for high in shared), (where, shared, saves)


def main():
    tool, fixtures = sys.argv[1:]
    cache, wrong = {}, []

    def kinds_of(name):
        if name not in cache:
            lists = findings(tool, os.path.join(fixtures, name))
            for found in lists:
                check_list(name, found)
            cache[name] = [[f["kind"] for f in found] for found in lists]
        return cache[name]

    for kind, (first, other, absent) in TABLE.items():
        for name in first.split():
            if not any(found[0] == kind for found in kinds_of(name)):
                wrong.append(f"{name}: {kind} is not first: {kinds_of(name)}")
        for name in other.split():
            if not any(kind in found for found in kinds_of(name)):
                wrong.append(f"{name}: {kind} is missing: {kinds_of(name)}")
        for name in absent.split():
            if any(kind in found for found in kinds_of(name)):
                wrong.append(f"{name}: {kind} must not be there")
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


main()
