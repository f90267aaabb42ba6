"""A conversation of several turns with the model in MODEL; prints one line a turn for the test to look at."""

import os

from openai import OpenAI

client = OpenAI(
    base_url=os.environ["HEADGATE_BASE_URL"], api_key=os.environ["HEADGATE_API_KEY"], max_retries=0
)
model = os.environ["MODEL"]
settings = {"model": model, "temperature": 0, "max_output_tokens": 40}
tool = {
    "type": "function",
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}

conversation = []
for question in ["What is the capital of France?", "And the capital of Italy?"]:
    conversation.append({"role": "user", "content": question})
    with client.responses.stream(input=conversation, **settings) as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        response = stream.get_final_response()
    print("same text:", text == response.output_text and len(text) > 0)
    conversation += response.output

conversation = [{"role": "user", "content": "Weather in Paris?"}]
turn = client.responses.create(input=conversation, tools=[tool], tool_choice="required", **settings)
call = turn.output[0]
print("called:", call.name)
result = {"type": "function_call_output", "call_id": call.call_id, "output": "12 degrees"}
told = client.responses.create(input=[*conversation, *turn.output, result], tools=[tool], **settings)
print("told:", len(told.output_text) > 0)

cut = client.responses.create(input="Tell me about cats.", model=model, max_output_tokens=4)
reason = cut.incomplete_details.reason if cut.incomplete_details else None
print("cut:", cut.status, reason, cut.usage.output_tokens)
