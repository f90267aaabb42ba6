/** A request as code that people can run. It names the variable of the key, never a key. */
export interface CodeRequest {
  /** Where the interface is, such as `https://gateway.example/api/v1`. */
  readonly address: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A line for a shell. */
export function curlCode({ address, body }: CodeRequest): string {
  const json = JSON.stringify(body, undefined, 2).replaceAll("'", `'\\''`);
  return `curl ${address}/responses \\
  -H "Authorization: Bearer $HEADGATE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${json}'
`;
}

/** A program in TypeScript, without packages. It prints the text of the answer. */
export function typescriptCode({ address, body }: CodeRequest): string {
  return `const response = await fetch(${JSON.stringify(`${address}/responses`)}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.HEADGATE_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${indented(JSON.stringify(body, undefined, 2))}),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.error.message);
const messages = answer.output.filter(({ type }) => type === 'message');
console.log(messages.flatMap(({ content }) => content).map(({ text }) => text).join(''));
`;
}

/** A program in Python, without packages. It prints the text of the answer. */
export function pythonCode({ address, body }: CodeRequest): string {
  return `import json
import os
import urllib.request

body = json.loads(${JSON.stringify(JSON.stringify(body))})
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
print("".join(part.get("text", "") for item in messages for part in item["content"]))
`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
