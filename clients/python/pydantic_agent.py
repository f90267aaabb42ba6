"""PyPI `pydantic-ai` on chat completions and on Messages. Prints a line for each thing that worked."""

import os

from anthropic import AsyncAnthropic
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

url, key = os.environ["HEADGATE_URL"], os.environ["HEADGATE_API_KEY"]
chat = OpenAIProvider(base_url=url, api_key=key)
messages = AnthropicProvider(anthropic_client=AsyncAnthropic(base_url=url.removesuffix("/v1"), api_key=key))


class Person(BaseModel):
    name: str
    age: int


def weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: clear"


for name, make in [
    ("chat", lambda model: OpenAIChatModel(model, provider=chat)),
    ("messages", lambda model: AnthropicModel(model, provider=messages)),
]:
    whole = Agent(make("sandbox/echo")).run_sync("one two")
    print(name, "text:", whole.output, whole.usage.output_tokens > 0)
    print(name, "tool:", Agent(make("sandbox/tools"), tools=[weather]).run_sync("Weather in Brest?").output)
    # The object comes as a call of a tool, which is this library's default.
    print(name, "object:", type(Agent(make("sandbox/tools"), output_type=Person).run_sync("Who?").output).__name__)
    first = Agent(make("sandbox/reason")).run_sync("one two")
    second = Agent(make("sandbox/reason")).run_sync("three", message_history=first.all_messages())
    print(name, "second turn:", second.output)
    with Agent(make("sandbox/echo")).run_stream_sync("one two") as stream:
        print(name, "stream:", list(stream.stream_text())[-1])
