"""Talks to Headgate through the `openai` package: an answer, a stream, a tool, and JSON by a schema.

    pip install openai
    HEADGATE_API_KEY=sk-hg-... python examples/python/conversation.py

The sandbox models answer without any provider; put a model of your own in MODEL to see real answers.
"""

import os

from openai import OpenAI
from pydantic import BaseModel, Field

client = OpenAI(
    base_url=os.environ.get("HEADGATE_URL", "http://127.0.0.1:8484/api/v1"),
    api_key=os.environ["HEADGATE_API_KEY"],
)


def model_for(sandbox_model: str) -> str:
    return os.environ.get("MODEL", f"sandbox/{sandbox_model}")


class Person(BaseModel):
    name: str
    age: int = Field(ge=0, le=120)


WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "Tells the weather of a city",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}

answer = client.responses.create(model=model_for("echo"), input="Good day")
print("answer:", answer.output_text)

print("stream: ", end="", flush=True)
with client.responses.stream(model=model_for("echo"), input="One word at a time") as stream:
    for event in stream:
        if event.type == "response.output_text.delta":
            print(event.delta, end="", flush=True)
    print("\ntokens:", stream.get_final_response().usage.total_tokens)

conversation = [{"role": "user", "content": "How is the weather in Paris?"}]
turn = client.responses.create(
    model=model_for("tools"), input=conversation, tools=[WEATHER], tool_choice="required"
)
# Nothing is stored: the next request repeats the conversation, the model's own items included.
conversation += turn.output
for item in turn.output:
    if item.type == "function_call":
        print("call:", item.name, item.arguments)
        conversation.append(
            {"type": "function_call_output", "call_id": item.call_id, "output": "12 degrees and rain"}
        )
told = client.responses.create(model=model_for("tools"), input=conversation, tools=[WEATHER])
print("told:", told.output_text)

person = client.responses.parse(
    model=model_for("json"), input="Invent a person.", text_format=Person
).output_parsed
print("person:", person)
