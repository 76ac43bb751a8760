CONVERSATION=$(curl -s $WITAN/v1/conversations -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"title":"Pricing"}' | grep -o 'cnv_[A-Za-z0-9]*' | head -1)

curl -s $WITAN/v1/conversations/$CONVERSATION/message -H "x-api-key: $KEY" \
  -H "content-type: application/json" -d '{"content":"Should we double our prices next month?"}' \
  | node -pe 'JSON.parse(fs.readFileSync(0)).messages.at(-1).content'
