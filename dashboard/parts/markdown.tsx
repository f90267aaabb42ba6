import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { Component, type ComponentChildren } from 'preact';
import { plain, shown } from '../text/format.ts';
import { openableAddress, pictureData, targetOf, withoutEntities } from '../text/markup.ts';
import { Copy } from './copy.tsx';

/** Quotes and lists inside each other; what is deeper stays as it was written. */
const deepest = 24;

/** Markdown as nodes of the page. There is never markup in a string: HTML in it reads as text. @throws RangeError for thousands of nested quotes. */
export function readMarkdown(text: string): { readonly tokens: readonly Token[]; readonly links: number } {
  const tokens = lexer(text);
  return { tokens, links: Object.keys(tokens.links).length };
}

interface MarkdownProps {
  readonly tokens: readonly Token[];
  /** How many addresses the text names by reference: another one may change any block. */
  readonly links: number;
}

/** The blocks of a text. Blocks that did not change since are not drawn again. */
export function MarkdownBlocks({ tokens, links }: MarkdownProps) {
  return tokens.map((token, index) => <TopBlock key={index} token={token} links={links} />);
}

interface TopBlockProps {
  readonly token: Token;
  readonly links: number;
}

class TopBlock extends Component<TopBlockProps> {
  override shouldComponentUpdate({ token, links }: TopBlockProps): boolean {
    return token.raw !== this.props.token.raw || links !== this.props.links;
  }

  override render({ token }: TopBlockProps) {
    return <Block token={token as MarkedToken} depth={0} />;
  }
}

interface NodeProps {
  readonly token: MarkedToken;
  readonly depth: number;
}

function Block({ token, depth }: NodeProps): ComponentChildren {
  if (depth > deepest) return <p dir="auto">{shown(token.raw)}</p>;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'hr':
      return <hr />;
    case 'heading':
      // No heading of the page: its levels would break those of the page.
      return (
        <p dir="auto" class={`md-heading level-${token.depth}`}>
          <Inline tokens={token.tokens} depth={depth} />
        </p>
      );
    case 'code':
      return <CodeBlock text={token.text} language={token.lang ?? ''} />;
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={token.tokens} depth={depth + 1} />
        </blockquote>
      );
    case 'list':
      return <List list={token} depth={depth} />;
    case 'table':
      return <Table table={token} depth={depth} />;
    case 'paragraph':
      return (
        <p dir="auto">
          <Inline tokens={token.tokens} depth={depth} />
        </p>
      );
    case 'html':
      return (
        <p dir="auto" class="md-source">
          {shown(token.raw.trimEnd())}
        </p>
      );
    default:
      return <Inline tokens={[token]} depth={depth} />;
  }
}

function Blocks({ tokens, depth }: { readonly tokens: readonly Token[]; readonly depth: number }) {
  return tokens.map((token, index) => <Block key={index} token={token as MarkedToken} depth={depth} />);
}

function CodeBlock({ text, language }: { readonly text: string; readonly language: string }) {
  return (
    <div class="md-code">
      <div class="row">
        <span class="hint">{plain(language)}</span>
        <span class="gap" />
        <Copy text={text} label="Copy" />
      </div>
      <pre dir="ltr">{shown(text)}</pre>
    </div>
  );
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const items = list.items.map((item, index) => (
    <li key={index} dir="auto">
      <Blocks tokens={item.tokens} depth={depth + 1} />
    </li>
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol start={typeof list.start === 'number' ? list.start : 1}>{items}</ol>;
}

function Table({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }) {
  const cell = ({ tokens, align }: Tokens.TableCell) => ({
    class: align === 'right' ? 'end' : '',
    children: <Inline tokens={tokens} depth={depth} />,
  });
  return (
    <div class="table-wrap" tabIndex={0} role="region" aria-label="Table of the answer">
      <table class="table">
        <thead>
          <tr>
            {table.header.map((one, index) => (
              <th key={index} scope="col" dir="auto" {...cell(one)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((one, at) => (
                <td key={at} dir="auto" {...cell(one)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface InlineProps {
  readonly tokens: readonly Token[] | undefined;
  readonly depth: number;
}

function Inline({ tokens = [], depth }: InlineProps) {
  return tokens.map((token, index) => (
    <InlineToken key={index} token={token as MarkedToken} depth={depth + 1} />
  ));
}

function InlineToken({ token, depth }: NodeProps): ComponentChildren {
  if (depth > deepest) return shown(token.raw);
  switch (token.type) {
    case 'br':
      return <br />;
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} depth={depth} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} depth={depth} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} depth={depth} />
        </del>
      );
    case 'codespan':
      return <code>{shown(token.text)}</code>;
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'link':
      return <Link link={token} depth={depth} />;
    case 'image':
      return <Picture picture={token} />;
    case 'escape':
      return shown(token.text);
    case 'text':
      return token.tokens === undefined ? (
        shown(withoutEntities(token.text))
      ) : (
        <Inline tokens={token.tokens} depth={depth} />
      );
    default:
      return shown(token.raw);
  }
}

/** A link with where it leads. Addresses that are none of the web read as they were written. */
function Link({ link, depth }: { readonly link: Tokens.Link; readonly depth: number }) {
  const address = openableAddress(link.href);
  if (address === undefined) return shown(link.raw);
  const isSaid = link.text === link.href || link.href === `mailto:${link.text}`;
  return (
    <>
      <a href={address} target="_blank" rel="noopener noreferrer" title={plain(address)}>
        {isSaid ? plain(link.text) : <Inline tokens={link.tokens} depth={depth} />}
      </a>
      {!isSaid && <span class="hint"> ({plain(targetOf(address))})</span>}
    </>
  );
}

/** A picture that is in the text itself. One elsewhere becomes a link: asking for it would tell its host of the answer. */
function Picture({ picture }: { readonly picture: Tokens.Image }) {
  const data = pictureData(picture.href);
  if (data !== undefined) return <img class="shown-picture" src={data} alt={plain(picture.text)} />;
  const address = openableAddress(picture.href);
  if (address === undefined) return shown(picture.raw);
  return (
    <>
      <a href={address} target="_blank" rel="noopener noreferrer" title={plain(address)}>
        Picture{picture.text !== '' && `: ${plain(picture.text)}`}
      </a>
      <span class="hint"> ({plain(targetOf(address))}, not loaded)</span>
    </>
  );
}
