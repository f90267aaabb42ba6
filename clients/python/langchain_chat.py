"""PyPI `langchain-openai` in its default mode. Prints a line for each thing that worked."""

import os

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel

settings = {"base_url": os.environ["HEADGATE_URL"], "api_key": os.environ["HEADGATE_API_KEY"], "max_retries": 0}


def model(name):
    return ChatOpenAI(model=name, **settings)


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: clear"


class Person(BaseModel):
    name: str
    age: int


whole = model("sandbox/echo").invoke("one two")
print("text:", whole.text, whole.usage_metadata["total_tokens"] > 0)
chunks = list(model("sandbox/echo").stream("one two"))
print("stream:", "".join(chunk.text for chunk in chunks), len(chunks) > 2)

asking = model("sandbox/tools").bind_tools([weather])
question = HumanMessage("The weather in Brest?")
call = asking.invoke([question])
print("told:", asking.invoke([question, call, weather.invoke(call.tool_calls[0])]).text)

print("object:", type(model("sandbox/json").with_structured_output(Person).invoke("Who?")).__name__)

first = model("sandbox/reason").invoke("one two")
print("second turn:", model("sandbox/reason").invoke([question, first, HumanMessage("three")]).text)

embeddings = OpenAIEmbeddings(model="sandbox/embed", check_embedding_ctx_length=False, **settings)
print("vectors:", len(embeddings.embed_documents(["one", "two"])))
