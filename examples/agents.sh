AGENT=$(curl -s $WITAN/v1/agents -H "x-api-key: $KEY" | grep -o 'agt_[A-Za-z0-9]*' | head -1)

curl -sw '\n' $WITAN/v1/agents/$AGENT/chat -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"message":"We have nine months of cash. Hire?","options":{"reflection":true}}'

curl -sw '\n' $WITAN/v1/agents/$AGENT/memory -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"key":"runway","value":"Nine months of cash","type":"fact"}'
