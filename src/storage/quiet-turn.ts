/** Milliseconds below which a turn of the event loop did nothing but look whether there is work. */
const quiet = 0.05;

/**
 * Resolves after the first turn of the event loop in which the process had nothing else to do.
 * @param limit Milliseconds after which it resolves however busy the process is.
 */
export function quietTurn(limit: number): Promise<void> {
  return new Promise((resolve) => {
    let turnBegan = performance.now();
    const end = turnBegan + limit;
    const look = () => {
      const now = performance.now();
      if (now - turnBegan < quiet || now >= end) {
        resolve();
        return;
      }
      turnBegan = now;
      setImmediate(look);
    };
    setImmediate(look);
  });
}
