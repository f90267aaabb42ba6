"""A `pydantic-ai` agent with one tool, on the model in MODEL; prints what happened for the test to look at."""

import os

from pydantic_ai import Agent, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

provider = OpenAIProvider(base_url=os.environ["HEADGATE_BASE_URL"], api_key=os.environ["HEADGATE_API_KEY"])
cities = []


def get_weather(city: str) -> str:
    """Get the weather for a city."""
    cities.append(city)
    return "12 degrees"


agent = Agent(
    OpenAIChatModel(os.environ["MODEL"], provider=provider),
    tools=[get_weather],
    model_settings=ModelSettings(temperature=0, max_tokens=40, seed=7),
)
result = agent.run_sync("Weather in Paris?", usage_limits=UsageLimits(request_limit=4))
print("called for:", *cities)
print("answered:", len(result.output) > 0, result.usage.output_tokens > 0)
