curl -sN $WITAN/v1/market-analysis/stream -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"query":"How big is the market for oat milk in Germany?","depth":"quick"}'
