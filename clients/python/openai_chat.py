"""PyPI `openai` on chat completions and embeddings. Prints a line for each thing that worked."""

import asyncio
import os

import openai
from pydantic import BaseModel

settings = {"base_url": os.environ["HEADGATE_URL"], "api_key": os.environ["HEADGATE_API_KEY"], "max_retries": 0}
client = openai.OpenAI(**settings)


class Person(BaseModel):
    name: str
    age: int


def user(text):
    return [{"role": "user", "content": text}]


whole = client.chat.completions.create(model="sandbox/echo", messages=user("Grüße 漢字"))
print("text:", whole.choices[0].message.content, whole.usage.total_tokens > 0)

with client.chat.completions.stream(model="sandbox/echo", messages=user("one two")) as stream:
    pieces = [event.delta for event in stream if event.type == "content.delta"]
    final = stream.get_final_completion()
print("stream:", "".join(pieces), len(pieces) > 1, final.usage.total_tokens > 0)

parsed = client.chat.completions.parse(model="sandbox/json", messages=user("Who?"), response_format=Person)
print("parsed:", type(parsed.choices[0].message.parsed).__name__)

parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [{"type": "function", "function": {"name": "weather", "parameters": parameters}}]
messages = user("The weather in Brest?")
call = client.chat.completions.create(model="sandbox/tools", messages=messages, tools=tools).choices[0]
print("call:", call.finish_reason, call.message.tool_calls[0].function.name)
output = {"role": "tool", "tool_call_id": call.message.tool_calls[0].id, "content": "clear"}
told = client.chat.completions.create(
    model="sandbox/tools", messages=[*messages, call.message, output], tools=tools
)
print("told:", told.choices[0].message.content)

vectors = client.embeddings.create(model="sandbox/embed", input=["one", "two"])
plain = client.embeddings.create(model="sandbox/embed", input=["one", "two"], encoding_format="float")
close = all(abs(a - b) < 1e-6 for a, b in zip(vectors.data[1].embedding, plain.data[1].embedding))
print("vectors:", len(vectors.data), close)

try:
    for chunk in client.chat.completions.create(
        model="sandbox/flaky", messages=user("disconnect-after-2"), stream=True
    ):
        pass
except openai.APIError as error:
    print("broken:", type(error).__name__)
try:
    client.chat.completions.create(model="acme/nothing", messages=user("Hi"))
except openai.BadRequestError as error:
    print("refused:", error.status_code)


async def asynchronous():
    async with openai.AsyncOpenAI(**settings) as other:
        answer = await other.chat.completions.create(model="sandbox/echo", messages=user("later"))
        print("async:", answer.choices[0].message.content)


asyncio.run(asynchronous())
