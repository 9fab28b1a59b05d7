// SPDX-License-Identifier: BSD-3-Clause
//
// room.js - the size of the window, for pictures that fill it.

import {signal} from '@preact/signals';

const sizeNow = () => ({width: globalThis.innerWidth ?? 1280, height: globalThis.innerHeight ?? 800});

/** The size of the window in pixels. A component that reads it is drawn again when it changes. */
export const room = signal(sizeNow());
globalThis.addEventListener?.('resize', () => (room.value = sizeNow()));
