#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `accuracy` costs for MobileNetV2 at 224 x 224 with all values logged, 79 MB: accuracy.py PATH/TO/etrecord-tb [FOLDER].

Needs ExecuTorch, torchvision and the package etrecord_tb in this Python. FOLDER keeps the record for the next time. Nothing here is a test.
"""

import os
import resource
import subprocess
import sys
import tempfile


def make(folder):
    import torch
    from executorch.exir import to_edge_transform_and_lower
    from executorch.extension.pybindings.portable_lib import _load_for_executorch
    from torchvision.models import mobilenet_v2

    torch.manual_seed(0)
    model, image = mobilenet_v2(weights=None).eval(), torch.randn(1, 3, 224, 224)
    program = to_edge_transform_and_lower(torch.export.export(model, (image,)), generate_etrecord=True).to_executorch()
    record = program.get_etrecord()
    record.update_representative_inputs([[image]])
    record.update_reference_outputs([[model(image)]])
    record.save(os.path.join(folder, 'etrecord.bin'))
    path = os.path.join(folder, 'model.pte')
    with open(path, 'wb') as file:
        file.write(program.buffer)
    runner = _load_for_executorch(path, enable_etdump=True, debug_buffer_size=1 << 27)
    runner.run_method('forward', (image,))
    runner.write_etdump_result_to_file(os.path.join(folder, 'etdump.etdp'), os.path.join(folder, 'debug_buffer.bin'))


def main():
    program, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
    reference = os.path.join(folder, 'ref.safetensors')
    if not os.path.exists(reference):
        make(folder)
        subprocess.run([program, 'reference', folder, '-o', reference], check=True, env=dict(os.environ, ETRECORD_TB_PYTHON=sys.executable))
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, 'accuracy', folder, '--reference', reference, '--format', 'json'], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        print('%.2f s user, %.2f s system' % (after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime))
    print('most memory of any process started, the reference included if it was made: %d KB' % after.ru_maxrss)


if __name__ == '__main__':
    main()
