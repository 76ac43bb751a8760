curl -sw '\n' $WITAN/v1/chat/completions -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"model":"service-auto","messages":[{"role":"user","content":"Repeat: ann.lee@example.com"}]}'
