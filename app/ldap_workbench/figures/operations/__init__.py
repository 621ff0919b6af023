"""Operations as a person looks for them, and the clients behind them."""
