"""Agents of the `openai-agents` package at work; prints one line each for the test to compare."""

import asyncio
import os

from agents import (
    Agent,
    ModelSettings,
    OpenAIProvider,
    RunConfig,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai.types.shared import Reasoning
from pydantic import BaseModel

set_tracing_disabled(True)
provider = OpenAIProvider(
    base_url=os.environ["HEADGATE_BASE_URL"], api_key=os.environ["HEADGATE_API_KEY"], use_responses=True
)
config = RunConfig(model_provider=provider)
settings = ModelSettings(store=False)


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"clear in {city}"


class Person(BaseModel):
    name: str
    age: int


async def main() -> None:
    echo = Agent(name="Echo", model="sandbox/echo", model_settings=settings)
    print("answer:", (await Runner.run(echo, "one two", run_config=config)).final_output)

    guide = Agent(name="Guide", model="sandbox/tools", tools=[weather], model_settings=settings)
    print("tool:", (await Runner.run(guide, "The weather?", run_config=config)).final_output)

    streamed = Runner.run_streamed(guide, "The weather?", run_config=config)
    kinds = {event.type async for event in streamed.stream_events()}
    print("streamed:", streamed.final_output, sorted(kinds))

    form = Agent(name="Form", model="sandbox/json", output_type=Person, model_settings=settings)
    print("person:", (await Runner.run(form, "Who?", run_config=config)).final_output)

    thinking = ModelSettings(
        store=False, reasoning=Reasoning(effort="low"), response_include=["reasoning.encrypted_content"]
    )
    thinker = Agent(name="Thinker", model="sandbox/reason", model_settings=thinking)
    first = await Runner.run(thinker, "one two", run_config=config)
    second = await Runner.run(
        thinker, first.to_input_list() + [{"role": "user", "content": "three"}], run_config=config
    )
    print("second turn:", second.final_output)


asyncio.run(main())
