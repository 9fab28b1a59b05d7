#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what the command answers about each fixture with answers.txt: answers.py PATH/TO/etrecord-tb PATH/TO/golden_text [--update] [--fail-fast].

A line of answers.txt is a command, the number of lines that it prints, and their checksum. Each record has its report, which holds most of what is known about
it, and some of the commands in turn, so that each command meets records of all kinds; small records have their event files. --update rewrites the file; run a
command with the builds before and after to see what has changed.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(os.path.dirname(HERE), 'fixtures')
EXPECTED = os.path.join(HERE, 'answers.txt')
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'check'))
import report_documents  # noqa: E402

PEAKS = '--peak-flops 2e9 --peak-int-ops 4e9 --peak-bandwidth 1e9'
IN_TURN = (  # of each record some of these; R is the record
    'summary R --all --top 0 --color always',
    'nodes R --format csv --top 0',
    'events R --format json --top 0',
    'memory R --top 0 --color always',
    'delegation R --top 0 --color always --width 90',
    'info R --sizes',
    'trace R',
    'dot R --fold',
    'summary R --format json ' + PEAKS,
    'nodes R --sort order --stat p50 --unit us ' + PEAKS,
    'source R --top 0 --backend cpu',
    'delegation R --format csv',
    'memory R --format json',
    'info R --format json --sizes',
    'summary R --by pattern --format markdown',
    'events R --sort name --stat avg --method forward --width 100',
    'export R --to model-explorer --entry edge/forward',
    'dot R --depth 2',
    'source R --by pattern --format csv',
    'summary R --by module --depth 2 --format csv',
    'trace R --format folded',
    'validate R',
    'source R --format json',
    'delegation R --format json',
    'nodes R --format json --graph edge',
    'summary R --by source --format tsv',
)
EACH = 2
SMALL_BYTES = 200_000  # of a record whose event file takes no time to print
SHORT = {  # what the commands below call these folders and files
    'EXAMPLES': '../../examples',
    'CHECKED': '../check/accuracy',
    'DECODER': '--etrecord ../../examples/language_model/etrecord.bin --pte ../../examples/language_model/model.pte',
}
OTHERS = (
    'nodes add_mul_debug --values',
    'nodes transformed',
    'info transformed',
    'nodes debug_xnnpack --values --sort order --format csv',
    'events debug_portable --values',
    'events prefill_decode --values --format csv',
    'accuracy old_1_2_0_two_methods --top 0',
    'accuracy bundled_update --format json',
    'diff inserted_before inserted_after --top 0',
    'diff inserted_before split_module --by module --top 0',
    'diff split_module inserted_before --by pattern --format json',
    'diff inserted_before inserted_after --format json',
    'diff inserted_after inserted_xnnpack --by pattern --format csv',
    'diff turns_base turns_new --in-turns --top 0',
    'diff turns_base turns_same --in-turns --by part',
    'diff changed_edge changed_edge_xnnpack --format json',
    'diff changed_edge changed_edge_xnnpack --by module',
    'diff mv2_portable mv2_xnnpack --by op --unit us',
    'diff mv2_portable mv2_xnnpack --by kernel --format markdown',
    'diff debug_portable debug_xnnpack --by value',
    'diff mv2_portable/model.pte mv2_xnnpack/model.pte',
    'diff drift multi_method --format json',
    'compare mv2_portable mv2_xnnpack --by pattern --format csv',
    'compare inserted_before inserted_after inserted_xnnpack --by op',
    'compare turns_base turns_new turns_same --in-turns --format json',
    'compare changed_edge changed_edge_xnnpack --format markdown',
    'trace drift --format speedscope',
    'trace turns_base --format speedscope',
    'validate old_1_2_0_two_methods --format json',
    'validate cpp_rich --format json',
    'diff mv2_portable/model.pte mv2_xnnpack/model.pte --format json',
    'diff bundled/model.bpte external_weights/model.pte',
    'accuracy CHECKED/convnet CHECKED/convnet_int8 --reference-record CHECKED/convnet --reference CHECKED/convnet.safetensors',
    'accuracy CHECKED/convnet CHECKED/convnet_int8 --reference-record CHECKED/convnet --reference CHECKED/convnet.safetensors --format json',
    'accuracy EXAMPLES/accuracy/int8 --reference CHECKED/int8.safetensors --by op',
    'accuracy EXAMPLES/accuracy/int8 --reference CHECKED/int8.safetensors --sort drop --format csv',
    'accuracy CHECKED/tap --reference CHECKED/tap.safetensors --sort local',
    'accuracy CHECKED/tap_stats --reference CHECKED/tap_stats.safetensors --by module',
    'summary EXAMPLES/accuracy/int8 --reference CHECKED/int8.safetensors',
    'dot CHECKED/convnet_int8 --reference-record CHECKED/convnet --reference CHECKED/convnet.safetensors',
    'events cpp_rich --format json',
    'events b_qnn --sort op --format json',
    'events mv2_portable --sort module',
    'nodes mv2_xnnpack --sort module --format markdown',
    'nodes llama_xnnpack --sort op --top 50',
    'events add_mul_debug --values --format json',
    'nodes debug_xnnpack --values --format json',
    'summary llama_xnnpack --by layer_kind --top 0',
    'summary decoder_prompts --by kernel --sort name',
    'summary dynamic_decoder --etdump dynamic_decoder_dumps/one_prompt.etdp.gz',
    'summary dynamic_decoder --etdump dynamic_decoder_dumps/logged.etdp.gz --format json',
    'memory decoder_prompts',
    'memory dynamic_decoder --top 0',
    'summary bn_folding --findings 0',
    'summary requantized --findings 0 --explain 1',
    'summary partly_quantized --findings 0',
    'summary equal_layers --findings 0',
    'summary xnnpack_parallel --explain 2',
    'summary EXAMPLES/tutorial/before --all',
    'diff EXAMPLES/tutorial/before EXAMPLES/tutorial/after --top 0',
    'summary DECODER --etdump equal_methods/logged.etdp.gz',
    'summary DECODER --etdump equal_methods/decode_first.etdp.gz --format json',
    'info DECODER --etdump equal_methods/decode_only.etdp.gz --format json',
    'diff EXAMPLES/accuracy/f32 EXAMPLES/accuracy/int8 --by value',
    'diff EXAMPLES/accuracy/f32 EXAMPLES/accuracy/int8 --by value --format json',
    'compare EXAMPLES/accuracy/f32 EXAMPLES/accuracy/int8 --reference EXAMPLES/accuracy/f32.safetensors --format json',
    'accuracy EXAMPLES/accuracy/f32 EXAMPLES/accuracy/int8 --reference EXAMPLES/accuracy/f32.safetensors --format json',
    'accuracy EXAMPLES/accuracy/f32 EXAMPLES/accuracy/int8 --reference EXAMPLES/accuracy/f32.safetensors --format csv',
    'accuracy CHECKED/tap_stats --reference CHECKED/tap_stats.safetensors --top 0',
    'accuracy EXAMPLES/accuracy/int8 --reference EXAMPLES/accuracy/f32.safetensors --reference-record EXAMPLES/accuracy/f32 --by source',
    'nodes EXAMPLES/accuracy/int8 --reference EXAMPLES/accuracy/f32.safetensors --reference-record EXAMPLES/accuracy/f32 --values --format csv',
    'export EXAMPLES/accuracy/f32 --to model-explorer --value snr --reference EXAMPLES/accuracy/f32.safetensors',
    'summary llama_portable/etdump.etdp --all --top 0',
    'nodes vulkan --format json',
    'summary b_vulkan --all --top 0',
    'info b_ethosu --format json',
    'info two_partitioners --sizes --top 0',
    'info mv2_xnnpack --operators',
    'delegation llama_xnnpack --top 0 --format markdown',
    'diff turns_base turns_new --in-turns --format markdown',
    'diff turns_base turns_same --by source --findings 3',
    'diff llama_portable llama_xnnpack --by part --format json',
    'diff equal_layers equal_layers --by op --format csv',
    'summary hostile/too_long_each_run --all',
    'events hostile/ends_before_start --format json',
    'nodes hostile/float16_kernel.etdp',
    'info hostile/bad_root.etdp',
    'info hostile/trunc_half.etdp',
    'report EXAMPLES/accuracy/int8 --reference EXAMPLES/accuracy/f32.safetensors --reference-record EXAMPLES/accuracy/f32',
    'report turns_base turns_new',
    'info hostile/foreign_payload.pte',
)
REFERENCES = ('convnet', 'huge', 'masked', 'overflow', 'per_channel', 'tap', 'tap_stats', 'tokens')  # records of tests/check/accuracy, with references of theirs
LONG = re.compile(rb'\d+\.\d{9,}(?:e[-+]?\d+)?')  # a number whose last digits may differ between mathematical libraries


def rounded(match):
    return b'%.9g' % float(match.group())


def printed(program, arguments):
    done = subprocess.run([program, *arguments], cwd=FIXTURES, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout + b'exit status %d\n' % done.returncode


def reported(program, arguments, folder):
    """What the page of a report is given: not the page itself."""
    path = os.path.join(folder, 'report.html')
    text = printed(program, [*arguments, '--output', path])
    with open(path, encoding='utf-8') as file:
        documents = report_documents.texts_in(file.read())
    return text + ''.join('%s\n%s\n' % document for document in sorted(documents.items())).encode()


def line_of(arguments, text):
    text = LONG.sub(rounded, text.replace(FIXTURES.encode(), b'FIXTURES'))
    return '%s: %d lines, %08x' % (arguments, text.count(b'\n'), zlib.crc32(text))


def answers(program, golden_text):
    records = sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(FIXTURES, '*', 'etrecord.bin')))
    with tempfile.TemporaryDirectory() as folder:
        for number, record in enumerate(records):
            yield line_of('report ' + record, reported(program, ['report', record], folder))
            for i in range(EACH):
                arguments = re.sub(r'\bR\b', record, IN_TURN[(EACH * number + i) % len(IN_TURN)])
                yield line_of(arguments, printed(program, arguments.split()))
            if number % 2 == 0 and os.path.getsize(os.path.join(FIXTURES, record, 'etrecord.bin')) < SMALL_BYTES:
                yield line_of('golden_text %s events' % record, printed(golden_text, [record, 'events']))
        for arguments in OTHERS:
            for name, text in SHORT.items():
                arguments = re.sub(r'\b%s\b' % name, text, arguments)
            words = arguments.split()
            yield line_of(arguments, reported(program, words, folder) if words[0] == 'report' else printed(program, words))
    for name in REFERENCES:
        arguments = 'accuracy ../check/accuracy/%s --reference ../check/accuracy/%s.safetensors --format json' % (name, name)
        yield line_of(arguments, printed(program, arguments.split()))


def main():
    made = answers(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    if '--update' in sys.argv:
        with open(EXPECTED, 'w', encoding='utf-8') as file:
            file.writelines(line + '\n' for line in made)
        return 0
    with open(EXPECTED, encoding='utf-8') as file:
        expected = set(file.read().splitlines())
    passed, failed = 0, 0
    for line in made:
        if line in expected:
            passed += 1
            continue
        failed += 1
        print('FAILED: not in answers.txt:', line)
        if '--fail-fast' in sys.argv:
            break
    else:
        if passed + failed != len(expected):
            failed += 1
            print('FAILED: answers.txt has commands that are not run')
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
