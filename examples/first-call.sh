echo '{"model":"service-auto","messages":[{"role":"user","content":"What can you do?"}]}' > request.json

curl -s -D headers.txt $WITAN/v1/chat/completions \
  -H "x-api-key: $KEY" -H "content-type: application/json" -d @request.json > response.json

cat headers.txt response.json; echo
