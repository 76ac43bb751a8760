AGENT=$(curl -s $WITAN/v1/agents -H "x-api-key: $KEY" | grep -o 'agt_[A-Za-z0-9]*' | head -1)
SOURCE=$(curl -s $WITAN/v1/knowledge/sources -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"name":"Handbook"}' | grep -o 'kns_[A-Za-z0-9]*' | head -1)

curl -sw '\n' $WITAN/v1/knowledge/sources/$SOURCE/documents -H "x-api-key: $KEY" \
  -H "content-type: application/json" \
  -d '{"title":"Leave","content":"Parental leave is twenty-six weeks."}'
curl -sw '\n' $WITAN/v1/agents/$AGENT/knowledge -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d "{\"sourceId\":\"$SOURCE\"}"
curl -sw '\n' $WITAN/v1/agents/$AGENT/chat -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"message":"How long is parental leave?"}'
