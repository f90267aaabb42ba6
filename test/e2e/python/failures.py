"""How failures look through the `openai` package; prints one line each for the test to compare."""

import asyncio
import os

import openai

BASE_URL = os.environ["HEADGATE_BASE_URL"]
API_KEY = os.environ["HEADGATE_API_KEY"]
client = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY, max_retries=0)
stranger = openai.OpenAI(base_url=BASE_URL, api_key="sk-unknown", max_retries=0)


def fail(who, **body):
    try:
        who.responses.create(**body)
        print("no failure")
    except openai.APIStatusError as error:
        print(type(error).__name__, error.status_code)


fail(stranger, model="sandbox/echo", input="x")
fail(client, model="sandbox/echo", input="x", temperature=9)
fail(client, model="sandbox/flaky", input="429")
fail(client, model="sandbox/flaky", input="500")

# The library raises nothing for a failure in the middle: it hands over the event and the failed response.
words = 0
with client.responses.stream(model="sandbox/flaky", input="disconnect-after-2 and more") as stream:
    for event in stream:
        if event.type == "response.output_text.delta":
            words += 1
        if event.type == "error":
            print(f"after {words} words: {event.message}")
        if event.type == "response.failed":
            print(f"failed: {event.response.error.code}, kept: {event.response.output_text}")

words = 0
with client.responses.create(model="sandbox/lorem", input="x", max_output_tokens=16000, stream=True) as stream:
    for event in stream:
        if event.type == "response.output_text.delta":
            words += 1
            if words == 5:
                break
print(f"left after {words} words, then:", client.responses.create(model="sandbox/echo", input="x").status)


async def stream_without_blocking() -> str:
    async with openai.AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY) as patient:
        async with patient.responses.stream(model="sandbox/echo", input="Grüße 漢字 👩‍🚀") as answer:
            return (await answer.get_final_response()).output_text


print("async:", asyncio.run(stream_without_blocking()))
