// SPDX-License-Identifier: BSD-3-Clause
//
// address.js - where the state stands in the address bar: in the fragment of a report, and in TensorBoard behind
// "#etrecord&", which TensorBoard keeps as it is.

const PLUGIN = 'etrecord';

/* TensorBoard's own window if the page is a frame in it, or the page's. */
function barOf(frame) {
  try {
    return frame.parent !== frame && frame.parent.location.href ? frame.parent : frame;
  } catch {
    return frame; // a frame of another site
  }
}

/** Returns the address for follow() of store.js. */
export function openAddress(frame = globalThis) {
  const bar = barOf(frame),
    isOurs = bar === frame,
    before = isOurs ? '' : `${PLUGIN}&`;
  const whole = said => {
    const {pathname, search} = bar.location,
      fragment = isOurs ? said : said ? before + said : PLUGIN;
    return `${pathname}${search}${fragment ? `#${fragment}` : ''}`;
  };
  const fragment = () => bar.location.hash.slice(1);
  return {
    read: () => (isOurs ? fragment() : fragment().startsWith(before) ? fragment().slice(before.length) : ''),
    push: said => bar.history.pushState(bar.history.state, '', whole(said)),
    replace: said => bar.history.replaceState(bar.history.state, '', whole(said)),
    // The fragment of another tab of TensorBoard is none of ours: the state stays, and stands in the address again when
    // the reader comes back by the tab.
    listen: (changed, again) => {
      let isAway = false;
      const heard = () => {
        const isHere = isOurs || fragment() === PLUGIN || fragment().startsWith(before);
        if (isHere && isAway && fragment() === PLUGIN) again();
        else if (isHere) changed();
        isAway = !isHere;
      };
      bar.addEventListener('popstate', heard);
      bar.addEventListener('hashchange', heard);
    },
  };
}
