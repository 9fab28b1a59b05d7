// SPDX-License-Identifier: BSD-3-Clause
//
// Horizontal parts of lines in the gap between two ranks. They are above one another only where they overlap.

/* With more horizontals in one gap, each search for a free track is cut short: they share this many. */
const MAX_COMPARED = 40,
  SHARED_TRACKS = 16;

/** The horizontals of one gap: one per key (a wire, or a branch of a rail). */
export class Gap {
  constructor() {
    this.spans = new Map();
  }

  /* A line that bends from x = `from` to x = `to`. */
  add(key, from, to) {
    const span = this.spans.get(key);
    if (!span) {
      this.spans.set(key, {from, low: Math.min(from, to), high: Math.max(from, to), rightwards: to > from, track: 0});
      return;
    }
    span.low = Math.min(span.low, to);
    span.high = Math.max(span.high, to);
  }

  /**
   * Gives each a track, so that they nest: leftward ones from the left, rightward ones from the right. Returns the
   * number of tracks.
   */
  pack() {
    const spans = [...this.spans.values()].sort(
        (a, b) => a.rightwards - b.rightwards || (a.rightwards ? b.from - a.from : a.from - b.from),
      ),
      placed = [];
    let tracks = 0;
    for (const span of spans) {
      if (placed.length >= MAX_COMPARED) span.track = placed.length % SHARED_TRACKS;
      else
        for (const other of placed)
          if (other.low - 4 < span.high && span.low - 4 < other.high)
            span.track = Math.max(span.track, other.track + 1);
      placed.push(span);
      tracks = Math.max(tracks, span.track + 1);
    }
    return tracks;
  }

  trackOf(key) {
    return this.spans.get(key)?.track ?? 0;
  }
}
