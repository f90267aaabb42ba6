import { useState } from 'preact/hooks';
import type { GenerationContent } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { CallFailure } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { Copy } from '../../parts/copy.tsx';
import { FormattedText, Lines } from '../../parts/formatted-text.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import {
  asHandedOver,
  handOver,
  isMedia,
  mediaWords,
  responseText,
  type SaidMessage,
} from '../../state/hand-over.ts';
import { useQuery } from '../../state/query.ts';
import { go, href } from '../../state/url.ts';
import { count, plain, shown } from '../../text/format.ts';
import './content.css';
import { messagesOf, prettyJson } from './conversation.ts';
import type { Detailed } from './detail.tsx';

type Kept = GenerationContent['data'];

/** What was said in a request, where it was kept. Each reading is in the audit log: it is read once, when it is opened. */
export function Content({ detail }: { readonly detail: Detailed }) {
  const { id } = detail.row;
  const found = useQuery(['content', id], (signal) => get('/generation/content', { query: { id }, signal }), {
    isOnce: true,
  });
  if (found.error instanceof CallFailure && found.error.status === 404) return <NotKept />;
  if (found.error !== undefined) return <Failed error={found.error} retry={found.reload} />;
  const kept = found.data?.data;
  return kept === undefined || found.isStale ? (
    <Loading height={320} />
  ) : (
    <Said kept={kept} detail={detail} />
  );
}

/** How what is said comes to be kept. */
function NotKept() {
  const { workspaces = [], account, role } = principal.value ?? {};
  return (
    <Empty title="What was said was not kept">
      <p>By default nothing is. From now on it is kept where all of these allow it:</p>
      <ol class="keeping-steps">
        <li>
          the file of the server: <code>content_logging: &#123; enabled: true &#125;</code>
        </li>
        <li>
          the account: <code>headgate accounts set {plain(account?.id ?? 'ID')} --content-logging true</code>
        </li>
        <li>
          the workspace of the key: “Keep what is said” in{' '}
          <a href={href(`workspaces/${workspaces[0]?.id ?? ''}`)}>its settings</a>
        </li>
        <li>the key, and the client that asks; zero retention forbids it</li>
      </ol>
      {role === 'operator' && (
        <p class="hint">An operator reads contents of the own account only, never of others.</p>
      )}
    </Empty>
  );
}

function Said({ kept, detail }: { readonly kept: Kept; readonly detail: Detailed }) {
  const [isRaw, setRaw] = useState(false);
  const { conversation } = kept;
  const raw = JSON.stringify(kept, undefined, 2);
  const open = () => {
    handOver(asHandedOver(conversation, detail.replay));
    go(href('playground', { models: detail.row.requested_model, run: detail.row.key_hash }));
  };
  return (
    <div class="stack">
      <div class="row">
        <fieldset class="segments" aria-label="Form">
          <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
            Conversation
          </button>
          <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
            Raw
          </button>
        </fieldset>
        <span class="gap" />
        <Copy text={raw} label="Copy JSON" />
        <button type="button" class="button small" onClick={open}>
          <Icon name="playground" /> Open in playground
        </button>
      </div>
      {conversation.truncated && (
        <p class="note warn">
          {count(conversation.characters_left_out)} characters of the oldest messages were not kept.
        </p>
      )}
      {isRaw ? <pre class="raw-content">{shown(raw)}</pre> : <Conversation kept={kept} />}
      <p class="hint">This reading is in the audit log.</p>
    </div>
  );
}

function Conversation({ kept: { conversation, error } }: { readonly kept: Kept }) {
  return (
    <>
      <ol class="plain-list stack">
        {messagesOf(conversation).map((message, index) => (
          <li key={index} class={`said said-${roleOf(message)}`}>
            <Message message={message} />
          </li>
        ))}
      </ol>
      {error !== null && (
        <p class="note bad">
          {error.status} {plain(error.message ?? 'It failed.')}
        </p>
      )}
    </>
  );
}

const roles: Readonly<Record<string, string>> = {
  system: 'Instructions',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
};

const roleOf = ({ role }: SaidMessage) => (role in roles ? role : 'user');

function Message({ message }: { readonly message: SaidMessage }) {
  return (
    <>
      <h3>{roles[roleOf(message)]}</h3>
      {message.parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </>
  );
}

/** Characters after which a part is folded. */
const long = 4_000;

function Part({ part }: { readonly part: SaidMessage['parts'][number] }) {
  const content = typeof part.content === 'string' ? part.content : '';
  if (part.type === 'text') {
    if (content.length <= long) return <FormattedText text={content} isWhole={true} />;
    return (
      <details>
        <summary>{count(content.length)} characters</summary>
        <Lines text={content} />
      </details>
    );
  }
  if (part.type === 'reasoning') return <Folded label="Reasoning" text={content} />;
  if (part.type === 'tool_call') {
    return (
      <Folded label={`Calls ${String(part.name)}`} text={prettyJson(String(part.arguments))} isOpen isCode />
    );
  }
  if (part.type === 'tool_call_response')
    return <Folded label="Result" text={prettyJson(responseText(part.response))} isOpen isCode />;
  if (isMedia(part)) return <p class="chip">{plain(mediaWords(part))}, not kept</p>;
  return <Folded label={String(part.type)} text={prettyJson(content || JSON.stringify(part))} isCode />;
}

interface FoldedProps {
  readonly label: string;
  readonly text: string;
  readonly isOpen?: boolean;
  readonly isCode?: boolean;
}

function Folded({ label, text, isOpen = false, isCode = false }: FoldedProps) {
  return (
    <details open={isOpen && text.length <= long}>
      <summary>{plain(label)}</summary>
      {isCode ? <pre>{shown(text)}</pre> : <Lines text={text} />}
    </details>
  );
}
