/**
 * Maps what a generator yields; undefined yields nothing. What the source returns is returned. An error thrown into the
 * result is thrown into the source, which may go on; leaving the result leaves the source.
 */
export async function* mapBatches<In, Out, End>(
  source: AsyncGenerator<In, End>,
  map: (batch: In) => Out | undefined | Promise<Out | undefined>,
): AsyncGenerator<Out, End> {
  let isOver = false;
  try {
    let step = await source.next();
    while (step.done !== true) {
      try {
        const mapped = await map(step.value);
        if (mapped !== undefined) yield mapped;
      } catch (fault) {
        step = await source.throw(fault);
        continue;
      }
      step = await source.next();
    }
    isOver = true;
    return step.value;
  } finally {
    // What leaving the source returns is not asked for.
    if (!isOver) await source.return(undefined as End);
  }
}
