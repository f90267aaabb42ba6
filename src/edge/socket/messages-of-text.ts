const dataLine = '\ndata: ';

/**
 * Takes the text of an event stream apart again: the JSON of each event becomes a message. What is no event of JSON, such as
 * the sentinel, is left out.
 */
export class MessagesOfText {
  #rest = '';

  /** The messages that are whole by now. */
  take(text: string): readonly string[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const at = block.indexOf(dataLine);
      return at === -1 ? [] : [block.slice(at + dataLine.length)];
    });
  }
}
