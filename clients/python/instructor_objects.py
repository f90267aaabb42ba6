"""PyPI `instructor`: objects from calls and from JSON. Prints a line for each thing that worked."""

import os

import instructor
import openai
from pydantic import BaseModel

client = openai.OpenAI(base_url=os.environ["HEADGATE_URL"], api_key=os.environ["HEADGATE_API_KEY"], max_retries=0)


class Person(BaseModel):
    name: str
    age: int


def who(model):
    return {"model": model, "response_model": Person, "max_retries": 0, "messages": [{"role": "user", "content": "Who?"}]}


print("tools:", type(instructor.from_openai(client).create(**who("sandbox/tools"))).__name__)
schema = instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA)
print("json schema:", type(schema.create(**who("sandbox/json"))).__name__)
person, completion = schema.create_with_completion(**who("sandbox/json"))
print("usage:", completion.usage.total_tokens > 0)
