CONVERSATION=$(curl -s $WITAN/v1/conversations -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"title":"Hiring"}' | grep -o 'cnv_[A-Za-z0-9]*' | head -1)

curl -sN $WITAN/v1/conversations/$CONVERSATION/message -H "x-api-key: $KEY" \
  -H "content-type: application/json" -H "accept: text/event-stream" \
  -d '{"content":"Should we hire two engineers now?"}'
