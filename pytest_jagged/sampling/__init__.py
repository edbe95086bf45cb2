"""Draw variants of a seed repository (Algorithms 1 and 2) and prove that they behave as it does.

Import from the modules: `sampler.draw_variant`, `keywords.keywords_for`, `certificate.certify`,
`variant.VariantStore`, `variant.identify_variant`.
"""
