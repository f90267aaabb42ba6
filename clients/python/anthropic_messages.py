"""PyPI `anthropic`. Prints a line for each thing that worked."""

import os

import anthropic

client = anthropic.Anthropic(
    base_url=os.environ["HEADGATE_URL"].removesuffix("/v1"), api_key=os.environ["HEADGATE_API_KEY"], max_retries=0
)


def ask(model, text):
    return {"model": model, "max_tokens": 500, "messages": [{"role": "user", "content": text}]}


whole = client.messages.create(**ask("sandbox/echo", "Grüße 漢字"))
print("text:", whole.content[0].text, whole.usage.output_tokens > 0)

with client.messages.stream(**ask("sandbox/reason", "one two")) as stream:
    pieces = list(stream.text_stream)
    final = stream.get_final_message()
print("stream:", "".join(pieces), [block.type for block in final.content])

again = ask("sandbox/reason", "one two")
again["messages"] += [{"role": "assistant", "content": final.content}, {"role": "user", "content": "three"}]
print("second turn:", client.messages.create(**again).content[-1].text)

print("counted:", client.messages.count_tokens(model="sandbox/echo", messages=again["messages"]).input_tokens > 0)


@anthropic.beta_tool
def weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: Its name.
    """
    return f"{city}: clear"


runner = client.beta.messages.tool_runner(tools=[weather], **ask("sandbox/tools", "The weather in Brest?"))
print("tool runner:", runner.until_done().content[0].text)

print("models:", any(model.id == "sandbox/echo" for model in client.models.list()))

try:
    with client.messages.stream(**ask("sandbox/flaky", "disconnect-after-2")) as stream:
        stream.get_final_message()
except anthropic.APIError as error:
    print("broken:", type(error).__name__)
try:
    client.messages.create(**ask("acme/nothing", "Hi"))
except anthropic.BadRequestError as error:
    print("refused:", error.status_code)
