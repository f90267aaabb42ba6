/** A request as code that people can run. It names the variable of the key, never a key. */
export interface CodeRequest {
  /** Where the interface is, such as `https://gateway.example/api/v1`. */
  readonly address: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A line for a shell. It prints the whole answer. */
export function curlCode({ address, body }: CodeRequest): string {
  return `curl ${address}/responses \\
  -H "Authorization: Bearer $HEADGATE_API_KEY" \\
  -H "Content-Type: application/json" \\
  --data-binary @- <<'END'
${jsonOf(body, 2)}
END
`;
}

/** A program in TypeScript, without packages. It prints the text of the answer, or its items where it has none. */
export function typescriptCode({ address, body }: CodeRequest): string {
  return `const response = await fetch(${JSON.stringify(`${address}/responses`)}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.HEADGATE_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${indented(jsonOf(body, 2))}),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.error.message);
const messages = answer.output.filter(({ type }) => type === 'message');
const text = messages.flatMap(({ content }) => content).map((part) => part.text ?? '').join('');
console.log(text || JSON.stringify(answer.output));
`;
}

/** A program in Python, without packages. It prints the text of the answer, or its items where it has none. */
export function pythonCode({ address, body }: CodeRequest): string {
  return `import json
import os
import urllib.request

body = ${pythonOf(body)}
request = urllib.request.Request(
    ${JSON.stringify(`${address}/responses`)},
    data=json.dumps(body).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["HEADGATE_API_KEY"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
messages = [item for item in answer["output"] if item["type"] == "message"]
text = "".join(part.get("text", "") for item in messages for part in item["content"])
print(text or json.dumps(answer["output"]))
`;
}

/** A value of JSON as Python writes it. Texts are written alike in both. */
function pythonOf(value: unknown, indent = ''): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return jsonOf(value);
  const inner = `${indent}    `;
  const [open, close, lines] = Array.isArray(value)
    ? ['[', ']', value.map((one) => pythonOf(one, inner))]
    : ['{', '}', Object.entries(value).map(([name, one]) => `${jsonOf(name)}: ${pythonOf(one, inner)}`)];
  if (lines.length === 0) return open + close;
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
}

const reordering = /\p{Bidi_Control}/gu;

/** JSON whose characters all show where they stand: marks that reorder text are escaped. */
function jsonOf(body: unknown, indent?: number): string {
  return JSON.stringify(body, undefined, indent).replace(
    reordering,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
