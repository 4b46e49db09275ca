"""Ratings of players in each game, derived from the results of rated matches, and the standings that they make.

Start with `glicko2`, the formula; `weeks` says which matches count together, and `weekly_rating` computes and stores
ratings from them. `standings` only reads.
"""
