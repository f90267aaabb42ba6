"""PyPI `litellm` as a client: chat, Messages and embeddings. Prints a line for each thing that worked."""

import os

import litellm

litellm.telemetry = False
litellm.suppress_debug_info = True
url, key = os.environ["HEADGATE_URL"], os.environ["HEADGATE_API_KEY"]
chat = {"api_base": url, "api_key": key, "num_retries": 0}
parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [{"type": "function", "function": {"name": "weather", "description": "The weather", "parameters": parameters}}]


def user(text):
    return [{"role": "user", "content": text}]


whole = litellm.completion(model="openai/sandbox/echo", messages=user("one two"), **chat)
print("text:", whole.choices[0].message.content, whole.usage.total_tokens > 0)
pieces = litellm.completion(model="openai/sandbox/echo", messages=user("one two"), stream=True, **chat)
print("stream:", "".join(chunk.choices[0].delta.content or "" for chunk in pieces))

for stream in [False, True]:
    messages = user("The weather in Brest?")
    answer = litellm.completion(
        model="openai/sandbox/tools", messages=messages, tools=tools, stream=stream, **chat
    )
    if stream:
        answer = litellm.stream_chunk_builder(list(answer), messages=messages)
    message = answer.choices[0].message
    output = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "clear"}
    told = litellm.completion(
        model="openai/sandbox/tools", messages=[*messages, message.model_dump(), output], tools=tools, **chat
    )
    print("told:", answer.choices[0].finish_reason, told.choices[0].message.content)

thoughts = litellm.completion(model="openai/sandbox/reason", messages=user("one two"), **chat)
print("thoughts:", thoughts.choices[0].message.reasoning_content is not None)

claude = {"api_base": url.removesuffix("/v1"), "api_key": key, "max_tokens": 500}
message = litellm.completion(model="anthropic/sandbox/echo", messages=user("one two"), **claude).choices[0].message
print("messages:", message.content)

vectors = litellm.embedding(model="openai/sandbox/embed", input=["one", "two"], encoding_format="float", **chat)
print("vectors:", len(vectors.data))

try:
    litellm.completion(model="openai/acme/nothing", messages=user("Hi"), **chat)
except litellm.BadRequestError as error:
    print("refused:", error.status_code)
