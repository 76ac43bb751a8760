curl -sw '\n' $WITAN/v1/chat/completions -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"model":"agent:sceptic","messages":[{"role":"user","content":"Double our prices?"}]}'
