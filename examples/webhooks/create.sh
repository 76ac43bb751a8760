URL=${URL:-http://127.0.0.1:9000/}
curl -sw '\n' $WITAN/v1/webhooks -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"url":"'$URL'","events":["debate.synthesized","simulation.report.ready"]}'
